// npm install three@0.187.0 esbuild && npx esbuild three.parts.js --bundle --minify --format=iife --global-name=THREE --legal-comments=none
// makes three.min.js.
export {
  BackSide, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry, Curve, CylinderGeometry,
  DirectionalLight, DoubleSide, Float32BufferAttribute, Fog, FrontSide, Group, HemisphereLight, InstancedMesh,
  LatheGeometry, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, NeutralToneMapping,
  PCFShadowMap, PerspectiveCamera, PlaneGeometry, PMREMGenerator, Quaternion, Scene, ShaderMaterial, SphereGeometry,
  TorusGeometry, TubeGeometry, Vector2, Vector3, Vector4, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
