/** Terminal colours; none where the output is piped, `NO_COLOR` is set, or the terminal is dumb. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly red: (text: string) => string
}

const escape = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`
const plain = (text: string) => text

export const plainPaint: Paint = { bold: plain, dim: plain, green: plain, yellow: plain, red: plain }

export const paintFor = (
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>> = process.env
): Paint =>
  stream.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb"
    ? { bold: escape(1), dim: escape(2), green: escape(32), yellow: escape(33), red: escape(31) }
    : plainPaint
