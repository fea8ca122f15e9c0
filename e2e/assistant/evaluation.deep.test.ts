import { it } from "vitest"
import { harmlessWords, makeFreeLiar } from "./src/freeLiar.ts"
import { expectNoLies } from "./freeLies.ts"

it("100 requests to a model that lies in free words", () => expectNoLies(makeFreeLiar()))

it("nothing of a lie in harmless words is passed on, in 100 requests", () =>
  expectNoLies(makeFreeLiar(harmlessWords)))
