// The host of figures that move on a page of the book: a model that only holds data, where a kernel would answer.
for (const element of document.querySelectorAll(".explorer")) {
  if (!(element.dataset.kind in KINDS)) continue; // another script shows it
  const data = JSON.parse(element.querySelector("script").textContent);
  element.replaceChildren();
  const get = (name) => (name === "data" ? data : data[name]);
  render({ model: { get, set() {}, save_changes() {}, on() {}, off() {}, send() {} }, el: element });
}
