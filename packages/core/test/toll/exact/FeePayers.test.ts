import { expect, it } from "vitest"
import { FeePayers } from "../../../src/toll/exact/FeePayers.ts"

it("offers nothing until a fee payer is known", () => {
  const feePayers = new FeePayers()
  feePayers.learn([])
  feePayers.learn([[]])
  expect(feePayers.current).toBeUndefined()
  expect(feePayers.has("a")).toBe(false)
})

it("keeps the offered one while the facilitator has it, and knows earlier ones", () => {
  const feePayers = new FeePayers()
  feePayers.learn([["a", "b"]])
  feePayers.learn([["b", "a"]])
  expect(feePayers.current).toBe("a")
  feePayers.learn([["c", "b"]])
  expect(feePayers.current).toBe("c")
  expect(["a", "b", "c", "d"].map((address) => feePayers.has(address))).toEqual([true, true, true, false])
})

it("forgets the oldest of many, never one that was named again", () => {
  const feePayers = new FeePayers()
  feePayers.learn([["kept"]])
  for (let index = 0; index < 100; index++) feePayers.learn([[`other ${index}`, "kept"]])
  expect(feePayers.current).toBe("kept")
  expect(feePayers.has("kept")).toBe(true)
  expect(feePayers.has("other 0")).toBe(false)
  expect(feePayers.has("other 99")).toBe(true)
})

it("offers one of the first facilitator, and knows those of the others", () => {
  const feePayers = new FeePayers()
  feePayers.learn([["a"], ["b"]])
  expect(feePayers.current).toBe("a")
  feePayers.learn([["b"], ["a"]])
  expect(feePayers.current).toBe("b")
  expect(feePayers.has("a")).toBe(true)
})
