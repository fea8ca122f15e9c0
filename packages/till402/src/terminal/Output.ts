import { paintFor, type Paint, plainPaint } from "./Paint.ts"
import { harmless, wrap } from "./wrap.ts"

/** Where a command writes: results on standard output, all else on standard error. */
export interface Output {
  /** A line of the result. */
  readonly print: (line: string) => void
  /** Bytes of the result, as they are. */
  readonly write: (bytes: Uint8Array) => void
  /** A line for people: what is going on, or what is wrong. */
  readonly note: (line: string) => void
  /** Colours of the result, and of the notes; none where nobody sees them. */
  readonly paint: Paint
  readonly notePaint: Paint
  readonly isTerminal: boolean
}

/** Columns of a line that is wrapped, piped or not. */
export const columns = 80

/** The output of a process. */
export const processOutput = (): Output => ({
  print: (line) => void process.stdout.write(`${line}\n`),
  write: (bytes) => void process.stdout.write(bytes),
  note: (line) => {
    // Piped, a line stays one line.
    const lines = process.stderr.isTTY && line.length > columns ? wrap(line, columns) : [line]
    for (const each of lines) process.stderr.write(`${each}\n`)
  },
  paint: paintFor(process.stdout),
  notePaint: paintFor(process.stderr),
  isTerminal: process.stdout.isTTY === true
})

/** An output that tests read. */
export const recordedOutput = () => {
  const printed: Array<string> = []
  const noted: Array<string> = []
  const written: Array<Uint8Array> = []
  const output: Output = {
    print: (line) => void printed.push(line),
    write: (bytes) => void written.push(bytes),
    note: (line) => void noted.push(line),
    paint: plainPaint,
    notePaint: plainPaint,
    isTerminal: false
  }
  return { output, printed, noted, written }
}

/** Lines of `label  text`, whose text is wrapped below itself. */
export const labelled = (label: string, text: string, width = 10): ReadonlyArray<string> =>
  wrap(harmless(text, 1_000), columns - width - 1).map(
    (line, at) => `${(at === 0 ? label : "").padEnd(width)} ${line}`
  )
