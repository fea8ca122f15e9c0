import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { create } from "./creating.ts"

/*
 * Each takes a process. The packed package makes an app in e2e/packed/packed.test.ts, too.
 */

it("makes an app in a new folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-create-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const made = await create(folder, "shop", "--framework", "fastify")
  expect(made).toEqual({ code: 0, complaint: expect.stringContaining("cd shop && npm install") })
  expect(existsSync(join(folder, "shop", "src", "main.ts"))).toBe(true)
})

it("says what is wrong where it makes no app", async () => {
  const unknown = await create(tmpdir(), "other", "--framework", "rails")
  expect(unknown).toEqual({ code: 2, complaint: expect.stringContaining("effect") })
})
