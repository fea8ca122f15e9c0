import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { ConfigurationError } from "../../src/domain/Errors.ts"
import type { SecretKey } from "../../src/runtime/Secrets.ts"
import type { TillEvent } from "../../src/runtime/events.ts"
import { sqlite } from "../../src/sqlite.ts"
import { temporaryFiles } from "../stores/sql/folder.ts"
import { openTill, track } from "../toll/openTill.ts"

const nextFile = temporaryFiles()
const keyOf = (id: string, text: string): SecretKey => ({ id, secret: text.repeat(32) })
const first = keyOf("1", "a")
const second = keyOf("2", "b")

/** Starts a till with these keys, pays for a call, and stops it. */
const use = async (filename: string, ...secret: ReadonlyArray<SecretKey>): Promise<string> => {
  try {
    const { payFor, present, till } = await openTill({ storage: sqlite({ filename }), secret })
    const { status } = await present(track, await payFor(track))
    await till.dispose()
    return `paid: ${status}`
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

const paid = "paid: 200"

describe("a database that was used with a key", () => {
  it("is used with it again", async () => {
    const filename = nextFile()
    expect(await use(filename, first)).toBe(paid)
    expect(await use(filename, first)).toBe(paid)
  })

  it("is refused with another one, under its id or another, and says how to keep both", async () => {
    const filename = nextFile()
    await use(filename, first)
    const advice =
      /not the one this database was used with: stored responses and download tokens would be lost.*list the old key second/
    expect(await use(filename, keyOf("1", "b"))).toMatch(advice)
    expect(await use(filename, keyOf("1", "b"))).toContain('secret (id "1")')
    expect(await use(filename, second)).toMatch(advice)
    expect(await use(filename, { ...first, id: "2" })).toMatch(advice)
    expect(await use(filename, first)).toBe(paid)
  })

  it("is used with a new one before it, and then without it", async () => {
    const filename = nextFile()
    await use(filename, first)
    expect(await use(filename, second, first)).toBe(paid)
    expect(await use(filename, second)).toBe(paid)
    expect(await use(filename, first)).toBe(paid)
  })

  it("reports each start without a key that it was used with", async () => {
    const filename = nextFile()
    const reported: Array<string> = []
    const start = async (...secret: ReadonlyArray<SecretKey>) => {
      reported.length = 0
      const onEvent = ({ code, message }: TillEvent) => {
        if (code === "secret_key_missing") reported.push(message)
      }
      const { till } = await openTill({ storage: sqlite({ filename }), secret, onEvent })
      await till.dispose()
      return reported.length === 0 ? "nothing" : reported.join()
    }
    expect(await start(first)).toBe("nothing")
    expect(await start(second, first)).toBe("nothing")
    expect(await start(second)).toMatch(
      /keys that secret doesn't list any more: 1\. Downloads .* are refused/
    )
    expect(await start(second, first)).toBe("nothing")
  })

  it("is refused where one of several keys has changed under its id", async () => {
    const filename = nextFile()
    await use(filename, second, first)
    expect(await use(filename, second, keyOf("1", "c"))).toContain('secret (id "1")')
  })

  it("stores no key", async () => {
    const filename = nextFile()
    await use(filename, first)
    const bytes = readFileSync(filename, "latin1")
    expect(bytes).toContain("secret.1")
    expect(bytes).not.toContain(first.secret)
  })
})
