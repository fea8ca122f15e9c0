import { expect, it } from "vitest"
import { send } from "./client.ts"
import { echoOf, type Hosts, serve, setUp } from "./hosts.ts"
import { fakeTill } from "./till.ts"

export const mounts = (hosts: Hosts): void => {
  it("leaves other paths to the host", async () => {
    const { port } = await setUp(hosts)
    const own = await send(port, "/own")
    expect([own.status, own.text]).toEqual([200, "my own route"])
    expect((await send(port, "/nowhere")).status).toBe(404)
  })

  it("works at a prefix that is part of the base URL", async () => {
    const till = fakeTill("/shop")
    const port = await serve(hosts.underShop(till.seam))
    const echo = echoOf(await send(port, "/shop/x402/search?q=mug"))
    expect([echo.pathname, echo.search]).toEqual(["/shop/x402/search", "?q=mug"])
    expect(JSON.parse((await send(port, "/shop/x402/caller")).text).mount ?? "").toBe("")
    expect((await send(port, "/shop/own")).text).toBe("my own route")
    expect((await send(port, "/x402/search")).status).toBe(404)
  })

  it("works at a prefix that is not part of the base URL", async () => {
    const till = fakeTill()
    const port = await serve(hosts.underShop(till.seam))
    const echo = echoOf(await send(port, "/shop/x402/shop?q=mug", { method: "POST", body: "{}" }))
    expect(echo).toMatchObject({ method: "POST", pathname: "/x402/shop", search: "?q=mug", body: "{}" })
    // The till compares it with the path of its base URL.
    expect(JSON.parse((await send(port, "/shop/x402/caller")).text)).toMatchObject({ mount: "/shop" })
    expect((await send(port, "/shop/own")).text).toBe("my own route")
    expect((await send(port, "/shop//evil/x402/search")).status).toBe(404)
    expect((await send(port, "/shopping/x402/search")).status).toBe(404)
  })
}

export const afterParser = (hosts: Hosts): void => {
  const post = async (type: string, body: string, chunked = false) => {
    const till = fakeTill()
    const port = await serve(hosts.afterBodyParser(till.seam))
    return echoOf(
      await send(port, "/x402/shop", { method: "POST", headers: { "content-type": type }, body, chunked })
    )
  }

  it("passes on JSON that a parser has read", async () => {
    const body = '{"message":"zwölf Tassen","context":{"priceRange":{"max":20}}}'
    for (const chunked of [false, true]) {
      const echo = await post("application/json", body, chunked)
      expect(JSON.parse(echo.body)).toEqual(JSON.parse(body))
      expect(echo.headers["content-length"] ?? String(Buffer.byteLength(echo.body))).toBe(
        String(Buffer.byteLength(echo.body))
      )
    }
  })

  it("passes on text that a parser has read", async () => {
    expect((await post("text/plain", "twelve cups – blue")).body).toBe("twelve cups – blue")
  })

  it("passes on a body that the parser ignored", async () => {
    expect((await post("application/xml", "<a/>")).body).toBe("<a/>")
  })

  it("passes on a request without a body", async () => {
    const till = fakeTill()
    const port = await serve(hosts.afterBodyParser(till.seam))
    expect(echoOf(await send(port, "/x402/buy", { method: "POST" })).body).toBe("")
    expect(echoOf(await send(port, "/x402/search")).body).toBe("")
  })
}
