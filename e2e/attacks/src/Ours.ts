import { onTestFinished } from "vitest"
import { keepOurs, type Ours } from "./KeptOurs.ts"

export { keepOurs, optionsOver, type Ours } from "./KeptOurs.ts"

/** A till in Hono over goods of its own for one test, with which it ends. */
export const openOurs = async (...parameters: Parameters<typeof keepOurs>): Promise<Ours> => {
  const ours = await keepOurs(...parameters)
  onTestFinished(() => ours.till.dispose())
  return ours
}
