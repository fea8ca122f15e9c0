/** Keeps the live page current. Without it, the browser loads the page again every few seconds. */
export const script = `
const list = document.querySelector("[data-live]")
const status = document.querySelector("[data-status]")
const maxRows = 60

const show = ({ counts, html }) => {
  const template = document.createElement("template")
  template.innerHTML = html
  const row = template.content.firstElementChild
  document.getElementById(row.id)?.remove()
  // A link that has the focus keeps it until it is left.
  list.prepend(row)
  row.classList.add("new")
  while (list.children.length > maxRows) list.lastElementChild.remove()
  document.querySelector("[data-none]")?.remove()
  for (const [name, value] of Object.entries(counts)) {
    const place = document.querySelector('[data-count="' + name + '"]')
    if (place !== null) place.textContent = value
  }
}

if (list !== null) {
  const source = new EventSource(list.dataset.live)
  source.addEventListener("open", () => {
    status.textContent = "Live"
    status.classList.add("on")
  })
  source.addEventListener("call", ({ data }) => show(JSON.parse(data)))
  source.addEventListener("error", () => {
    // A browser that is refused doesn't try again.
    const isRefused = source.readyState === EventSource.CLOSED
    status.textContent = isRefused ? "Not live: load the page again" : "Connection lost, trying again"
    status.classList.remove("on")
  })
  addEventListener("pagehide", () => source.close())
}
`
