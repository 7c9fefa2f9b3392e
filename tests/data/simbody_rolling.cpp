// Writes simbody_rolling.json: a ball rolling on a plane by Simbody, as an independent check of the constraint.
//
// Development only; nothing of the project uses it.  Python cannot reach the constraint: the package opensim wraps
// OpenSim's model components, of which none is a ball rolling on a plane.  But it ships the Simbody libraries, which
// this program links (the headers are those of a development package of Simbody 3.7, whose interface is the same):
//
//     g++ -O1 -std=c++14 simbody_rolling.cpp -I <headers> -L <site-packages>/opensim
//         -lSimTKsimbody -lSimTKmath -lSimTKcommon -Wl,--allow-shlib-undefined -o rolling
//     LD_LIBRARY_PATH=<site-packages>/opensim:<site-packages>/opensim.libs ./rolling > simbody_rolling.json
#include "SimTKsimbody.h"
#include <cstdio>
#include <string>
using namespace SimTK;
static void vec(const char* k, const Vec3& v, bool last=false){ printf("\"%s\": [%.17g, %.17g, %.17g]%s\n", k, v[0],v[1],v[2], last?"":","); }
static void body(const char* k, const MobilizedBody& B, const State& s){
  Rotation R = B.getBodyRotation(s);
  printf("\"%s\": {\"R\": [", k);
  for(int i=0;i<3;i++) printf("[%.17g, %.17g, %.17g]%s", R.asMat33()(i,0),R.asMat33()(i,1),R.asMat33()(i,2), i<2?", ":"],\n");
  Vec3 com=B.getBodyMassCenterStation(s);
  vec("r", B.findStationLocationInGround(s,com));
  vec("v", B.findStationVelocityInGround(s,com));
  vec("w", B.getBodyAngularVelocity(s));
  vec("a", B.findStationAccelerationInGround(s,com));
  vec("alpha", B.getBodyAngularAcceleration(s), true);
  printf("},\n");
}
struct Spec { const char* name; int plane; /*0 ground,1 free plate,2 turntable*/ Vec3 g; Vec3 tilt; Vec3 center; double r; Vec3 com; Vec3 wb, vb, wp, vp; double omega; };
static bool first=true;
static void run(const Spec& c, double T){
  MultibodySystem system; SimbodyMatterSubsystem matter(system); GeneralForceSubsystem forces(system);
  Force::UniformGravity gravity(forces, matter, c.g);
  // Plate: com at its origin; ball: com offset from origin
  Body::Rigid plate(MassProperties(3.0, Vec3(0), Inertia(0.5,0.7,1.1)));
  double m=2.0; Inertia Ic(0.02,0.03,0.04);
  Inertia Io = Ic.shiftFromMassCenter(c.com, m);
  Body::Rigid ballB(MassProperties(m, c.com, Io));
  Rotation Rn(BodyRotationSequence, c.tilt[0], XAxis, c.tilt[1], YAxis, c.tilt[2], ZAxis);
  Vec3 p0(0.1,-0.2,0.3);
  Transform X_FP(Rn, p0);
  MobilizedBody P = matter.updGround();
  if(c.plane==1) P = MobilizedBody::Free(matter.updGround(), Transform(), plate, Transform());
  if(c.plane==2) { MobilizedBody::Pin pin(matter.updGround(), Transform(), plate, Transform()); Motion::Steady(pin, c.omega); P=pin; }
  MobilizedBody::Free B(matter.updGround(), Transform(), ballB, Transform());
  Constraint::SphereOnPlaneContact con(P, X_FP, B, c.center, c.r, true);
  system.realizeTopology(); State s=system.getDefaultState();
  s=system.realizeTopology();
  matter.setUseEulerAngles(s,false); system.realizeModel(s);
  Vec3 n = Rn.z();
  B.setQToFitTranslation(s, p0 + n*c.r + Vec3(0.05,0.02,0) - c.center);
  B.setUToFitVelocity(s, SpatialVec(c.wb, c.vb));
  if(c.plane==1) P.setUToFitVelocity(s, SpatialVec(c.wp, c.vp));
  RungeKuttaMersonIntegrator integ(system); integ.setAccuracy(1e-12); integ.setConstraintTolerance(1e-12);
  system.realize(s, Stage::Time);
  system.project(s, 1e-13);
  TimeStepper ts(system, integ); ts.initialize(s);
  for(int k=0;k<3;k++){
    if(k>0) ts.stepTo(T*k/2);
    State st = integ.getState();
    system.realize(st, Stage::Acceleration);
    printf("%s{\"case\": \"%s\", \"t\": %.17g,\n", first?"":",", c.name, st.getTime()); first=false;
    vec("gravity", c.g); vec("normal", n); vec("plane_x", Rn.x()); vec("plane_y", Rn.y()); vec("plane_point", p0); vec("center", c.center); vec("com", c.com);
    printf("\"radius\": %.17g, \"plane\": %d, \"omega\": %.17g,\n", c.r, c.plane, c.omega);
    if(c.plane) body("plate", P, st); body("ball", B, st);
    vec("multipliers", con.getMultipliers(st));
    vec("force_on_ball", con.findForceOnSphereInG(st));
    vec("contact_point", con.findContactPointInG(st));
    vec("velocity_errors", con.getVelocityErrors(st));
    vec("acceleration_errors", con.getAccelerationErrors(st));
    printf("\"position_error\": %.17g}\n", con.getPositionError(st));
  }
}
int main(){
  int maj,min,bld; SimTK_version_simbody(&maj,&min,&bld);
  fprintf(stderr,"Simbody %d.%d.%d\n",maj,min,bld);
  printf("[\n");
  Vec3 down(0,0,-9.81);
  run({"incline",0,down,Vec3(0.4,0.2,0.1),Vec3(0),0.25,Vec3(0),Vec3(1,2,-3),Vec3(0.3,0.1,0),Vec3(0),Vec3(0),0},1.0);
  run({"off-centre",0,down,Vec3(0.3,-0.2,0.5),Vec3(0.05,0.02,-0.03),0.3,Vec3(0.02,-0.04,0.06),Vec3(2,-1,1.5),Vec3(0),Vec3(0),Vec3(0),0},1.0);
  run({"ceiling",0,-down,Vec3(0.1,0.2,0),Vec3(0.01,0,0.02),0.2,Vec3(0),Vec3(1,-2,3),Vec3(0),Vec3(0),Vec3(0),0},1.0);
  run({"free plate",1,down,Vec3(0.5,-0.3,0.2),Vec3(0.03,-0.02,0.01),0.3,Vec3(-0.02,0.03,0.05),Vec3(3,1,-2),Vec3(0.2,0.4,-0.1),Vec3(0.7,-1.1,1.6),Vec3(0.5,-0.2,0.3),0},1.0);
  run({"turntable",2,down,Vec3(0.2,0.1,0),Vec3(0,0,0),0.25,Vec3(0.01,0.02,0),Vec3(1,2,0.5),Vec3(0.3,0.1,0),Vec3(0),Vec3(0),1.5},1.0);
  printf("]\n");
}
