// A page that plays runs as a widget of notebooks: time, camera and playing go both ways between page and Python.

const EVERY = 100; // looks at the page's time so often [ms]

export function render({ model, el }) {
  const frame = document.createElement("iframe");
  Object.assign(frame, { srcdoc: model.get("html"), title: model.get("title"), width: "100%", height: model.get("height") });
  frame.style.border = "0";
  let timer;
  frame.addEventListener("load", async () => {
    const ce = await frame.contentWindow.ce.ready, near = (a, b) => Math.abs(a - b) < 1e-9;
    const hear = (name, act) => { model.on(`change:${name}`, act); act(); };
    hear("time", () => { if (!near(ce.time, model.get("time"))) ce.seek(model.get("time")); });
    hear("camera", () => { if (model.get("camera") !== ce.cameraChoice.value) ce.camera(model.get("camera")); });
    hear("playing", () => { if (model.get("playing") !== ce.playing) ce.play(model.get("playing")); });
    timer = setInterval(() => {
      const now = { time: ce.time, playing: ce.playing, camera: ce.cameraChoice.value };
      if (near(now.time, model.get("time")) && now.playing === model.get("playing") && now.camera === model.get("camera")) return;
      for (const [name, value] of Object.entries(now)) model.set(name, value);
      model.save_changes();
    }, EVERY);
  });
  el.append(frame);
  return () => clearInterval(timer);
}

export default { render };
