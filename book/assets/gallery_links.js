// The chapter about its method, below the name of each map of the gallery: the name itself marks the map.
(() => {
  const links = JSON.parse(document.getElementById("gallery-links").textContent);

  function addTo(card) {
    const name = card.querySelector("label")?.textContent.trim();
    if (!(name in links) || card.querySelector("a")) return;
    const [href, words] = links[name];
    const link = Object.assign(document.createElement("a"), { href, textContent: words });
    link.setAttribute("aria-label", `${words}: ${name}`);
    card.querySelector("label").after(link); // the explorer writes into the last element
  }

  // Cards are made anew with each set of data.
  const addToAll = () => document.querySelectorAll(".explorer-gallery > div").forEach(addTo);
  const gallery = document.querySelector('.explorer[data-kind="gallery"]');
  new MutationObserver(addToAll).observe(gallery, { childList: true, subtree: true });
  addToAll();
})();
