import { makeTill } from "./makeTill.ts"
import type { RunningTill } from "./RunningTill.ts"

/** A running till. An interface, so that hosts that emit declarations can name it. */
export interface Till extends RunningTill {}

/** Makes tills from plain functions. */
export const Till: { readonly make: (...options: Parameters<typeof makeTill>) => Till } = { make: makeTill }
