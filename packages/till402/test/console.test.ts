import { request } from "node:http"
import { describe, expect, it, onTestFinished } from "vitest"
import { run } from "../src/commands/run.ts"
import { Guesses, maxAddresses, maxWrong } from "../src/console/Guesses.ts"
import { recordedOutput } from "../src/terminal/Output.ts"
import { soldOut } from "./shopWorld.ts"
import { till402 } from "./world.ts"

const password = "a password of staff"

/** Sends one request, with any headers. */
const send = (
  url: string,
  headers: Readonly<Record<string, string>>,
  { body = "", method = "GET" } = {}
): Promise<{ readonly status: number; readonly text: string; readonly cookie: string }> =>
  new Promise((resolve, reject) => {
    // A connection of its own: a kept one may be closed while it is used again.
    const sent = request(url, { agent: false, method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const [cookie = ""] = response.headers["set-cookie"] ?? []
        resolve({
          status: response.statusCode!,
          text: Buffer.concat(chunks).toString(),
          cookie: cookie.split(";")[0]!
        })
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` })

/** Serves a console by the command, until the test ends. */
const serve = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
) => {
  const { noted, output, printed } = recordedOutput()
  const stopped = Promise.withResolvers<void>()
  const code = run(
    ["console", "--listen", "127.0.0.1:0", ...args],
    { environment, output, sleep: async () => undefined, untilStopped: () => stopped.promise },
    "1.2.3"
  )
  onTestFinished(async () => {
    stopped.resolve()
    await code
  })
  await expect.poll(() => printed.length).toBe(4)
  const shown = new Map(printed.map((line) => [line.slice(0, 10).trim(), line.slice(11)]))
  const url = shown.get("console")!
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => send(url + path, headers)
  const stop = () => {
    stopped.resolve()
    return code
  }
  return { url, get, shown, noted, stop }
}

describe("till402 console", () => {
  it("serves what a till has stored, to those who have the password that it prints", async () => {
    const { filename, order } = await soldOut()
    const { get, noted, shown, stop, url } = await serve([], { TILL_DATABASE: filename })
    const own = basic(`ada:${shown.get("password")}`)
    const orders = await get("orders", own)
    expect(orders.status).toBe(200)
    expect(orders.text).toContain(order.id)
    expect(orders.text).toContain("ada · read")
    expect((await get("listing", own)).text).toContain("This console reads the storage alone")
    for (const wrong of [{}, basic("ada:wrong"), basic("ada:"), basic("ada"), { authorization: "Basic §" }])
      for (const path of ["", "orders", "assets/console.css", "call/events"]) {
        const refused = await get(path, wrong)
        expect(refused.status, path).toBe(401)
        expect(refused.text).not.toContain(order.id)
      }
    expect(await stop()).toBe(0)
    await expect(send(url, own)).rejects.toThrow("ECONNREFUSED")
    expect(noted).toEqual([])
  })

  it("answers to no other name, and to the one that is given", async () => {
    const { filename } = await soldOut()
    const environment = { TILL_DATABASE: filename, TILL_CONSOLE_PASSWORD: password }
    const { get, shown } = await serve(["--host", "ops.example"], environment)
    expect(shown.get("password")).toBe("that of TILL_CONSOLE_PASSWORD")
    const asked = async (host: string) => (await get("", { ...basic(`ada:${password}`), host })).status
    expect([await asked("evil.example"), await asked("ops.example.evil.example")]).toEqual([421, 421])
    expect([await asked("ops.example"), await asked("localhost:1"), await asked("[::1]")]).toEqual([
      200, 200, 200
    ])
  })

  it("takes few wrong passwords a minute, and then not the right one either", async () => {
    const { filename } = await soldOut()
    const { get } = await serve([], { TILL_DATABASE: filename, TILL_CONSOLE_PASSWORD: password })
    const statuses: Array<number> = []
    for (let guess = 0; guess <= maxWrong; guess++)
      statuses.push((await get("", basic(`ada:guess ${guess}`))).status)
    expect(statuses).toEqual([...Array.from({ length: maxWrong }, () => 401), 429])
    const { status, text } = await get("", basic(`ada:${password}`))
    expect([status, text]).toEqual([429, expect.stringContaining("Wait a minute")])
  })

  it("counts wrong passwords by address for a minute, and many addresses together", () => {
    let millis = 0
    const guesses = new Guesses(() => millis)
    const spend = (address: string) => {
      let tries = 0
      for (; !guesses.areSpent(address); tries++) guesses.add(address)
      return tries
    }
    expect([spend("::1"), guesses.areSpent("::2")]).toEqual([maxWrong, false])
    millis = 59_999
    expect(guesses.areSpent("::1")).toBe(true)
    millis = 60_000
    expect(guesses.areSpent("::1")).toBe(false)
    let tries = 0
    for (let host = 0; host < 3 * maxAddresses; host++) tries += spend(`2001:db8::${host}`)
    expect(tries).toBe((maxAddresses + 1) * maxWrong)
    millis = 0
    expect(guesses.areSpent("2001:db8::0")).toBe(false)
  })

  it("only reads, unless --admin is given: then it stops refunds, and notes who did", async () => {
    const { filename } = await soldOut()
    const environment = { TILL_DATABASE: filename, TILL_CONSOLE_PASSWORD: password }
    const ask = { ...basic(`ada:${password}`) }
    const reading = await serve([], environment)
    expect((await reading.get("act?action=refunds.stop", ask)).status).toBe(403)
    const { get, noted, url } = await serve(["--admin"], environment)
    const page = await get("act?action=refunds.stop", ask)
    const token = /name="token" value="([0-9a-f]+)"/.exec(page.text)![1]!
    const form = (given: string) => ({
      method: "POST",
      body: new URLSearchParams({ token: given, action: "refunds.stop", reason: "audit" }).toString()
    })
    const headers = (body: string, origin: string) => ({
      ...ask,
      cookie: page.cookie,
      origin,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length)
    })
    const act = (given: string, origin: string) =>
      send(`${url}act`, headers(form(given).body, origin), form(given))
    const { origin } = new URL(url)
    expect((await act(token, "https://evil.example")).status).toBe(403)
    expect((await act("0".repeat(64), origin)).status).toBe(403)
    expect((await act(token, origin)).text).toContain("Done.")
    expect(noted.map((line) => JSON.parse(line))).toMatchObject([
      { who: "ada", action: "refunds.stop", given: { reason: "audit" }, outcome: "done" }
    ])
    expect((await get("refunds", ask)).text).toContain("audit")
  })

  it.each([
    [["--listen", "0.0.0.0:0"], {}, "set TILL_CONSOLE_PASSWORD: others can connect to 0.0.0.0"],
    [["--listen", "ops.example:80"], {}, "set TILL_CONSOLE_PASSWORD"],
    [[], { TILL_CONSOLE_PASSWORD: "short" }, "TILL_CONSOLE_PASSWORD must have at least 16 characters"],
    [["--listen", "4022"], {}, "--listen must be HOST:PORT"],
    [["--listen", "localhost:70000"], {}, "--listen must be HOST:PORT"],
    [["--listen", "a/b:1"], {}, "--listen must be HOST:PORT"]
  ])("refuses %j with %j: exit code 2", async (args, environment, fault) => {
    const { code, noted, printed } = await till402(
      ["console", "--database", "none.sqlite", ...args],
      environment
    )
    expect([code, printed]).toEqual([2, ""])
    expect(noted).toContain(fault)
  })

  it("refuses without a database, and fails where there is none or the port is taken", async () => {
    const without = await till402(["console"])
    expect([without.code, without.noted.split("\n")[0]]).toEqual([
      2,
      "--database is missing, and TILL_DATABASE isn't set"
    ])
    expect((await till402(["console", "--database", "/none/here.sqlite"])).code).toBe(1)
    const { filename } = await soldOut()
    const { url } = await serve([], { TILL_DATABASE: filename })
    const taken = await till402(["console", "--listen", new URL(url).host, "--database", filename])
    expect([taken.code, taken.noted]).toEqual([1, expect.stringContaining("EADDRINUSE")])
  })
})
