import { expect, it } from "vitest"
import { query, runScript } from "./clusterRuns.ts"

/*
 * Processes that start clusters, and how they end.
 */

it("preserves a script's exit code", async () => {
  const ended = await runScript("const p = await startPostgres(); await p.stop(); process.exitCode = 3")
  expect(ended).toEqual({ code: 3, printed: "" })
})

it("stops with a process that forgets to stop it", async () => {
  const ended = await runScript("const p = await sharedPostgres(); console.log(p.url); process.exit(4)")
  expect(ended.code).toBe(4)
  expect(ended.printed).toMatch(/^postgres:\S+$/)
  await expect(query(ended.printed, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/)
})

it("leaves nothing of a process that is killed while it starts", async () => {
  const ended = await runScript(
    'setTimeout(() => process.kill(process.pid, "SIGKILL"), 400); await startPostgres(); await new Promise(() => {})'
  )
  expect(ended).toEqual({ code: null, printed: "" })
})
