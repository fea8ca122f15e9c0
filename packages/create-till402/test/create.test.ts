import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { create } from "./creating.ts"

it("makes an app in a new folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-create-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const made = await create(folder, "shop", "--framework", "fastify")
  expect(made).toEqual({ code: 0, complaint: expect.stringContaining("cd shop && npm install") })
  expect(existsSync(join(folder, "shop", "src", "main.ts"))).toBe(true)
})
