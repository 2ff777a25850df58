// The host of the explorers on a page of the book: a model that only holds data, where a kernel would answer.
for (const element of document.querySelectorAll(".explorer")) {
  const data = JSON.parse(element.querySelector("script").textContent);
  element.replaceChildren();
  render({ model: { get: () => data, on() {}, off() {}, send() {} }, el: element });
}
