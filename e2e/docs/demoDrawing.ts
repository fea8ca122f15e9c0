import { read } from "./documents.ts"

/*
 * Draws what the demo printed, as docs/demo.txt has it. To record it anew:
 * npm run demo -- --network base-sepolia > docs/demo.txt
 */

const columns = 80
const letter = 7.2
const lineHeight = 17
const margin = 18
const colors = { background: "#0d1117", text: "#e6edf3", dim: "#8b949e", price: "#3fb950", name: "#79c0ff" }

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const paint = (color: string, text: string): string => `<tspan fill="${color}">${escape(text)}</tspan>`

/** A line of a terminal in colors: prices, transactions, and results dimmed. */
const painted = (line: string): string => {
  const call = /^( +\d+\.\d+)( {2}(?:GET|POST) .*?)(\S+…\S+)$/.exec(line)
  if (call !== null)
    return paint(colors.price, call[1]!) + paint(colors.text, call[2]!) + paint(colors.name, call[3]!)
  if (/^(?: {4}USDC| {10})/.test(line)) return paint(colors.dim, line)
  return paint(line.startsWith("The balances") ? colors.price : colors.text, line)
}

/** The calls, and what they came to. */
const shown = (text: string): ReadonlyArray<string> => {
  const lines = text.trimEnd().split("\n")
  const calls = lines.indexOf("", lines.indexOf("") + 1)
  return ["$ npm run demo", ...lines.slice(0, calls), "", "…", "", ...lines.slice(-4)]
}

/** The drawing for the first screen of the README, by its path. */
export const demoDrawing = (): readonly [path: string, svg: string] => {
  const lines = shown(read("docs/demo.txt").text)
  const [width, height] = [Math.ceil(columns * letter) + 2 * margin, lines.length * lineHeight + 2 * margin]
  const texts = lines.map(
    (line, row) =>
      `<text x="${margin}" y="${margin + 12 + row * lineHeight}" xml:space="preserve">${painted(line)}</text>`
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12">
<rect width="${width}" height="${height}" rx="8" fill="${colors.background}"/>
${texts.join("\n")}
</svg>
`
  return ["docs/demo.svg", svg]
}
