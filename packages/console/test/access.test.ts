import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type ConsoleOptions, tillConsole } from "../src/index.ts"
import { fakeTill, openConsole, order, origin, pages } from "./openConsole.ts"

describe("who sees the console", () => {
  it("is decided by authorize, for which there is no default", () => {
    const { till } = fakeTill()
    expect(() => tillConsole({ till } as never)).toThrow("authorize")
    expect(() => tillConsole({ authorize: () => "admin" } as never)).toThrow("till")
    expect(() => tillConsole({ till, authorize: () => "admin", path: "/ops/" })).toThrow("path")
  })

  it("refuses options that it doesn't have, and a path of the till", () => {
    const handles = (path: string) => path === "/x402" || path.startsWith("/x402/") || path === "/orders"
    const till = { ...fakeTill().till, handles }
    const make = (options: object) => () => tillConsole({ till, authorize: () => "admin", ...options })
    expect(make({ onActoin: () => undefined })).toThrow("no option onActoin: did you mean onAction?")
    expect(make({ authorise: () => "read" })).toThrow("no option authorise: did you mean authorize?")
    expect(make({ zebra: 1 })).toThrow("no option zebra; it has till, authorize, path")
    expect(make({ onAction: true })).toThrow("onAction must be a function")
    expect(() => tillConsole(undefined as never)).toThrow("authorize")
    for (const path of ["/x402", "/x402/ops", "/"])
      expect(make({ path }), path).toThrow(`path can't be ${path}:`)
    expect(make({ path: "/operators" })).not.toThrow()
    expect(make({ path: "/x402-operators" })).not.toThrow()
    expect(make({})).not.toThrow()
  })

  it.each([
    [true, "a boolean"],
    ["Admin", '"Admin"'],
    ["ada@example.com", "another text"],
    ["ada", "another text"],
    [{ role: "raed", name: "ada" }, 'an object whose role is "raed"'],
    [{ role: "ada" }, "an object whose role is another text"],
    [{ name: "ada" }, "an object without a role"]
  ])("is told once what authorize returned by mistake: %j", async (access, words) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { get } = openConsole({ authorize: () => access as never })
    expect([(await get("/ops")).status, (await get("/ops/orders")).status]).toEqual([403, 403])
    expect(printed.mock.calls).toHaveLength(1)
    const { message } = JSON.parse(printed.mock.calls[0]![0])
    expect(message).toContain(`returned ${words}, which gives no access: allowed are "admin", "read"`)
    expect(message).not.toContain("ada")
  })

  it.each([undefined, null, false])("is told nothing by a plain no: %j", async (access) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { get } = openConsole({ authorize: () => access as never })
    expect((await get("/ops")).status).toBe(403)
    expect(printed).not.toHaveBeenCalled()
  })

  it.each([undefined, "owner", {}, { role: "root" }, null, true])("nobody by %o", async (access) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { calls, get } = openConsole({ authorize: () => access as never })
    for (const path of [...pages, "/ops/call/events", "/ops/assets/console.css"])
      expect((await get(path)).status, path).toBe(403)
    expect(calls).toEqual([])
  })

  it("gets the host's own response, such as a redirect to its login", async () => {
    const { get } = openConsole({ authorize: () => Response.redirect(`${origin}/login`, 303) })
    const response = await get("/ops")
    expect([response.status, response.headers.get("location")]).toEqual([303, `${origin}/login`])
  })

  it("with read access sees every page but those of actions", async () => {
    const { get, post, calls, textOf } = openConsole({ authorize: () => "read" })
    for (const path of pages) expect((await get(path)).status, path).toBe(path.includes("/act?") ? 403 : 200)
    expect(await textOf(`/ops/orders/${order.id}`)).not.toContain("/ops/act?")
    const response = await post(
      { action: "orders.cancel", subject: order.id },
      { origin, "sec-fetch-site": "same-origin" }
    )
    expect(response.status).toBe(403)
    expect(calls.filter(([name]) => name === "orders.cancel")).toEqual([])
  })

  it.each([
    ["authorization", "Bearer undefined"],
    ["authorization", `Basic ${btoa("admin:undefined")}`],
    ["x-admin-key", "undefined"],
    ["cookie", "theme=dark; session=undefined"]
  ])("refuses the key of a variable that isn't set: %s: %s", async (name, value) => {
    const unset = process.env["A_KEY_THAT_IS_NOT_SET"]
    const known = [`Bearer ${unset}`, `Basic ${btoa(`admin:${unset}`)}`, `${unset}`]
    const { calls, get } = openConsole({
      authorize: ({ headers }) => {
        const isKnown = known.includes(headers.get(name) ?? "")
        return isKnown || headers.get("cookie")?.includes(`session=${unset}`) === true ? "admin" : undefined
      }
    })
    expect((await get("/ops/orders", { [name]: value })).status).toBe(403)
    expect(calls).toEqual([])
  })

  it.each([
    ["the key as the user name", `Basic ${btoa("undefined:")}`],
    ["null as the user name", `Basic ${btoa("null:x")}`],
    ["the key alone", `Basic ${btoa("undefined")}`],
    ["no padding", "Basic c2hvcDp1bmRlZmluZWQ"],
    ["too much padding", "Basic c2hvcDp1bmRlZmluZWQ===="],
    ["a digit too many", "Basic c2hvcDp1bmRlZmluZWQKC"],
    ["two spaces", "basic  c2hvcDp1bmRlZmluZWQ="],
    ["characters that decoders skip", "Basic c2hv cDp1!bmRlZmluZWQ="],
    ["the alphabet of URLs", `Basic ${btoa("\u00ff\u00ff\u00ff:null").replaceAll("/", "_")}`]
  ])("refuses Basic credentials of a variable that isn't set: %s", async (_, authorization) => {
    const { get } = openConsole({
      authorize: ({ headers }) => (headers.has("authorization") ? "read" : undefined)
    })
    expect((await get("/ops", { authorization })).status).toBe(403)
  })

  const unset = process.env["A_KEY_THAT_IS_NOT_SET"]
  const textOf = (authorization: string) => atob(authorization.split(" ")[1] ?? "")

  it.each<readonly [string, (authorization: string) => boolean, ReadonlyArray<string>]>([
    [
      "splits at a space",
      (authorization) => {
        const [scheme, token] = authorization.split(" ")
        return scheme === "Bearer" && token === unset
      },
      ["Bearer", "Bearer "]
    ],
    [
      "splits Basic credentials",
      (authorization) => {
        const [user, pass] = textOf(authorization).split(":")
        return user === "admin" && pass === unset
      },
      [`Basic ${btoa("admin")}`]
    ],
    [
      "reads one part of Basic credentials",
      (authorization) => textOf(authorization).split(":")[1] === `${unset}`,
      [`Basic ${btoa("admin:undefined:x")}`]
    ],
    [
      "matches a word",
      (authorization) => /Bearer (\S+)/.exec(authorization)?.[1] === `${unset}`,
      ["Bearer undefined x", "x Bearer undefined y"]
    ],
    [
      "looks names up",
      (authorization) => ({ [`${unset}`]: "shop" })[`${authorization.split(" ")[1]}`] !== undefined,
      ["Bearer", "token", "Bearer undefined x", "Token undefined x"]
    ],
    [
      "reads a part of Token",
      (authorization) => /token="([^"]*)"/.exec(authorization)?.[1] === `${unset}`,
      ['Token token="undefined", nonce="b"']
    ],
    ["looks at the second word alone", (authorization) => authorization.includes(" x"), ["Bearer abc x"]]
  ])("refuses credentials of a variable that isn't set to a host that %s", async (_, isKnown, sent) => {
    const { get } = openConsole({
      authorize: ({ headers }) => {
        const authorization = headers.get("authorization")
        return authorization !== null && isKnown(authorization) ? "read" : undefined
      }
    })
    for (const authorization of sent) expect((await get("/ops", { authorization })).status).toBe(403)
  })

  it.each([
    "Bearer key",
    "Bearer  a.b-c==",
    "bearer undefined-behaviour",
    "a-raw-key",
    "bearer-key",
    "a raw key of words",
    'Token token="a", nonce="b"',
    'Digest username="ada", realm="nullable", nc=00000001'
  ])("admits other credentials: %s", async (authorization) => {
    const { get } = openConsole({
      authorize: ({ headers }) => (headers.get("authorization") === authorization ? "read" : undefined)
    })
    expect((await get("/ops", { authorization })).status).toBe(200)
  })

  it.each(['session="undefined"', "session=%75ndefined", 'a=b; session="%6eull"'])(
    "refuses the cookie of a variable that isn't set, as parsers read it: %s",
    async (cookie) => {
      const { get } = openConsole({
        authorize: ({ headers }) =>
          headers.get("cookie")?.includes("session=") === true ? "read" : undefined
      })
      expect((await get("/ops", { cookie })).status).toBe(403)
    }
  )

  it.each(['session="undefined.x"', "session=%", "session=not%20null", "session=a%3Dnull"])(
    "admits other cookies: %s",
    async (cookie) => {
      const { get } = openConsole({
        authorize: ({ headers }) => (headers.get("cookie") === cookie ? "read" : undefined)
      })
      expect((await get("/ops", { cookie })).status).toBe(200)
    }
  )

  it.each([
    "undefined-behaviour:x",
    "ada:nullable",
    "ada:not:null",
    "ada:is null",
    "null@example.org:key",
    "ada:"
  ])("admits other Basic credentials: %s", async (credentials) => {
    const { get } = openConsole({
      authorize: ({ headers }) => (headers.has("authorization") ? "read" : undefined)
    })
    expect((await get("/ops", { authorization: `Basic ${btoa(credentials)}` })).status).toBe(200)
  })

  it("admits a visitor whose other headers and cookies say undefined or null", async () => {
    const { get } = openConsole({
      authorize: ({ headers }) =>
        headers.get("cookie")?.includes("session=good") === true ? "read" : undefined
    })
    const others = { "x-auth-request-groups": "null", "x-request-token": "null", origin: "null" }
    const response = await get("/ops", { ...others, cookie: "theme=undefined; session=good; ads=null" })
    expect(response.status).toBe(200)
  })

  it("warns once where a request without headers is admitted, and stops none", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const unset = process.env["A_KEY_THAT_IS_NOT_SET"] ?? ""
    const asked: Array<string> = []
    const { get } = openConsole({
      authorize: async (request) => {
        asked.push(request.url)
        return (request.headers.get("x-admin-key") ?? "") === unset
          ? { role: "admin", name: "ada" }
          : undefined
      }
    })
    expect([(await get("/ops/orders?q=1")).status, (await get("/ops")).status]).toEqual([200, 200])
    expect(asked.toSorted()).toEqual([`${origin}/ops`, `${origin}/ops/`, `${origin}/ops/orders?q=1`])
    expect(printed).toHaveBeenCalledOnce()
    const { message } = JSON.parse(printed.mock.calls[0]![0])
    expect(message).toMatch(
      /^authorize returns "admin" for a request without headers: anyone who sends nothing may be admitted, unless it reads a visitor's session elsewhere or a key in the path\./
    )
  })

  it("warns once where any word as Authorization is admitted, and stops none", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const asked: Array<string | null> = []
    const { get } = openConsole({
      authorize: ({ headers }) => {
        const authorization = headers.get("authorization")
        asked.push(authorization)
        return authorization !== null && authorization.split(" ")[1] === unset ? "read" : undefined
      }
    })
    expect((await get("/ops")).status).toBe(403)
    await vi.waitFor(() => expect(printed).toHaveBeenCalledOnce())
    expect((await get("/ops", { authorization: "word" })).status).toBe(200)
    expect(asked).toEqual([null, null, expect.stringMatching(/^\S{20,}$/), "word"])
    expect(printed).toHaveBeenCalledOnce()
    expect(JSON.parse(printed.mock.calls[0]![0]).message).toMatch(
      /^authorize returns "read" for a request whose Authorization is a made-up word: anyone who sends one may be admitted/
    )
  })

  it.each<readonly [string, ConsoleOptions["authorize"]]>([
    ["everyone on purpose", () => "read"],
    ["staff by a header", ({ headers }) => (headers.has("host") ? "read" : undefined)],
    ["staff, and others get a login", ({ headers }) => (headers.has("host") ? "read" : new Response())],
    ["staff, and fails for others", ({ headers }) => (headers.get("host")!.length > 0 ? "read" : undefined)],
    [
      "staff, and hangs for others",
      ({ headers }) => (headers.has("host") ? "read" : new Promise(() => undefined))
    ]
  ])("doesn't warn where authorize admits %s", async (_, authorize) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { get } = openConsole({ authorize })
    expect([(await get("/ops")).status, (await get("/ops/orders")).status]).toEqual([200, 200])
    expect(printed).not.toHaveBeenCalled()
  })

  it("leaves other paths to the host", () => {
    const { ops } = openConsole()
    expect(["/ops", "/ops/", "/ops/charges/x", "/ops/search"].every(ops.handles)).toBe(true)
    expect(["/", "/opsx", "/ops/x402", "/x402/search"].some(ops.handles)).toBe(false)
    const { till } = fakeTill()
    const root = tillConsole({ till, authorize: () => "admin", path: "/" })
    expect(["/", "/today", "/charges/x"].every(root.handles)).toBe(true)
    expect(["/x402/search", "/favicon.ico", "/openapi.json"].some(root.handles)).toBe(false)
  })
})
