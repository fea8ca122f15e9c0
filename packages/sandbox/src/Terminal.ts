/** Terminal colors; none if the output is piped, `NO_COLOR` is set or the terminal is dumb. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly cyan: (text: string) => string
}

interface Stream {
  readonly isTTY?: boolean
}

const escape = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`
const plain = (text: string) => text

export const paintFor = (
  stream: Stream,
  environment: Readonly<Record<string, string | undefined>> = process.env
): Paint =>
  stream.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb"
    ? { bold: escape(1), dim: escape(2), green: escape(32), red: escape(31), cyan: escape(36) }
    : { bold: plain, dim: plain, green: plain, red: plain, cyan: plain }

/** Cuts `text` to at most `width` columns, with an ellipsis. */
export const cut = (text: string, width: number): string => {
  const letters = [...text]
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join("")}…`
}

/** Breaks `text` at spaces into at most `maxLines` lines of at most `width` columns; the last one is cut. */
export const wrap = (text: string, width: number, maxLines: number): ReadonlyArray<string> => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const last = lines.at(-1)!
    const longer = last === "" ? word : `${last} ${word}`
    if (last === "" || [...longer].length <= width || lines.length === maxLines)
      lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.map((line) => cut(line, width))
}

/** The beginning and the end of an address or a transaction. */
export const shorten = (name: string): string => `${name.slice(0, 8)}…${name.slice(-6)}`

/** Width of a terminal, and of output that is piped. */
export const columnsOf = ({ columns = 80 }: { readonly columns?: number }): number => columns

/** Formats dollars with two to six decimals: `1200000n` → `"1.20"`. */
export const dollars = (amountAtomic: bigint): string => {
  const fraction = (amountAtomic % 1_000_000n)
    .toString()
    .padStart(6, "0")
    .replace(/0{1,4}$/, "")
  return `${amountAtomic / 1_000_000n}.${fraction}`
}

/** Shows progress on standard error: on one line in a terminal, otherwise one line each. */
export interface Progress {
  readonly show: (words: string) => void
  /** Removes the line, so that lasting output can follow. */
  readonly clear: () => void
}

export const makeProgress = (): Progress => {
  const { stderr } = process
  const paint = paintFor(stderr)
  return {
    show: (words) => {
      stderr.write(
        stderr.isTTY ? `\r\u001b[2K${paint.dim(cut(`… ${words}`, stderr.columns))}` : `… ${words}\n`
      )
    },
    clear: () => {
      if (stderr.isTTY) stderr.write("\r\u001b[2K")
    }
  }
}
