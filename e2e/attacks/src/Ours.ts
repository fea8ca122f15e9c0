import { onTestFinished } from "vitest"
import { keepOurs, type Ours } from "./KeptOurs.ts"

export { keepOurs, optionsOver, type Ours } from "./KeptOurs.ts"

/** A till in Hono with its own goods, disposed of after the test. */
export const openOurs = async (...parameters: Parameters<typeof keepOurs>): Promise<Ours> => {
  const ours = await keepOurs(...parameters)
  onTestFinished(() => ours.till.dispose())
  return ours
}
