// Charts zoom with Ctrl and the wheel, move with the mouse, and are whole again after a double click.
for (const chart of document.querySelectorAll("figure svg")) {
  const whole = chart.getAttribute("viewBox").split(" ").map(Number);
  let [left, top, width, height] = whole, held = null;
  const within = (value, room) => Math.min(Math.max(value, 0), room);
  const show = () => {
    left = within(left, whole[2] - width); top = within(top, whole[3] - height);
    chart.setAttribute("viewBox", [left, top, width, height].join(" "));
  };
  const scale = () => width / chart.clientWidth;
  chart.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const factor = Math.min(event.deltaY < 0 ? 0.8 : 1.25, whole[2] / width);
    const box = chart.getBoundingClientRect();
    left += (event.clientX - box.left) * scale() * (1 - factor);
    top += (event.clientY - box.top) * scale() * (1 - factor);
    width *= factor; height *= factor;
    show();
  }, { passive: false });
  chart.addEventListener("pointerdown", event => { held = [event.clientX, event.clientY]; });
  addEventListener("pointerup", () => { held = null; });
  chart.addEventListener("pointermove", event => {
    if (!held || width === whole[2]) return;
    left -= (event.clientX - held[0]) * scale(); top -= (event.clientY - held[1]) * scale();
    held = [event.clientX, event.clientY];
    show();
  });
  chart.addEventListener("dblclick", () => { [left, top, width, height] = whole; show(); });
}
