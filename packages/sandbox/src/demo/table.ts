import type { WriteStream } from "node:tty"

/** Colours of a terminal; none where output is piped or `NO_COLOR` is set. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly cyan: (text: string) => string
}

const escape = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`
const plain = (text: string) => text

export const paintFor = (stream: { readonly isTTY?: boolean }): Paint =>
  stream.isTTY === true && !process.env["NO_COLOR"]
    ? { bold: escape(1), dim: escape(2), green: escape(32), red: escape(31), cyan: escape(36) }
    : { bold: plain, dim: plain, green: plain, red: plain, cyan: plain }

/** `0x1234…cdef` where a terminal is narrow, else whole: piped output is for programs. */
export const shortHash = (hash: string, stream: WriteStream): string =>
  stream.isTTY && stream.columns < 180 ? `${hash.slice(0, 8)}…${hash.slice(-6)}` : hash

/** `1200000n` → `"1.20"`: at least two decimals. */
export const dollars = (atomic: bigint): string => {
  const fraction = (atomic % 1_000_000n)
    .toString()
    .padStart(6, "0")
    .replace(/0{1,4}$/, "")
  return `${atomic / 1_000_000n}.${fraction}`
}

/** Says on standard error what is being done, on one line in a terminal. */
export const makeProgress = (paint: Paint) => {
  const { stderr } = process
  return {
    say: (words: string): void => {
      stderr.write(stderr.isTTY ? `\r\u001b[2K${paint.dim(`… ${words}`)}` : `… ${words}\n`)
    },
    clear: (): void => {
      if (stderr.isTTY) stderr.write("\r\u001b[2K")
    }
  }
}
