import { type Books, type BooksOptions, openBooks } from "./books.ts"
import { makeTill } from "./makeTill.ts"
import { makeProbes, type ProbeOptions, type Probes } from "./probes.ts"
import type { RunningTill } from "./RunningTill.ts"

/** A running till. An interface, so that hosts that emit declarations can name it. */
export interface Till extends RunningTill {}

/** Makes tills from plain functions, and opens their storage for operators. */
export const Till: {
  readonly make: (...options: Parameters<typeof makeTill>) => Till
  readonly books: (options: BooksOptions) => Books
  readonly probes: (till: Pick<Till, "isLive" | "isReady">, options?: ProbeOptions) => Probes
} = { make: makeTill, books: openBooks, probes: makeProbes }
