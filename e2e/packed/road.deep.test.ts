import { afterAll, beforeAll, expect, it } from "vitest"
import { prepare, roadNames, type Start } from "./src/Road.ts"
import { toolTimeoutMillis } from "./src/Tool.ts"

let start: Start

beforeAll(async () => {
  start = await prepare()
}, 4 * toolTimeoutMillis)
afterAll(() => start?.stop())

it.each(roadNames)(
  "%s: the documents lead from an empty folder to a paid call",
  { timeout: 10 * toolTimeoutMillis },
  async (road) => {
    const { paid, steps } = await start.travel(road)
    expect(steps).toBeGreaterThan(5)
    expect(new Set(paid).size).toBe(road.startsWith("docs/start.md") ? 2 : 1)
  }
)
