import { randomBytes } from "node:crypto"

/** A secret of 256 bits, for `TILL_SECRET`. */
export const newSecret = (): string => randomBytes(32).toString("hex")
