import { Hono } from "hono"
import { verifyMessage } from "viem"

export const naiveStatus = "a hand-written status page that numbers its orders and checks signatures alone"

/** An order of the naive shop. */
export interface NaiveOrder {
  readonly email: string
  readonly transaction: string
  readonly tokens: ReadonlyArray<string>
}

/** Orders by their number or transaction, for whoever asks; a new token leaves the old ones valid. */
export const openNaiveStatus = (orders: ReadonlyArray<NaiveOrder>) => {
  const issued = orders.map(({ tokens }) => [...tokens])
  const app = new Hono()
  app.get("/status/:name", async ({ json, req }) => {
    const name = req.param("name")
    const order = orders[Number(name)] ?? orders.find(({ transaction }) => transaction === name)
    const header = req.header("sign-in-with-x")
    if (header !== undefined) {
      const { address, message, signature } = JSON.parse(Buffer.from(header, "base64").toString())
      if (!(await verifyMessage({ address, message, signature }))) return json({}, 403)
    }
    return order === undefined ? json({}, 404) : json(order)
  })
  app.post("/token/:number", ({ json, req }) => {
    const tokens = issued[Number(req.param("number"))]!
    tokens.push(`token-${tokens.length + 1}`)
    return json({ token: tokens.at(-1) })
  })
  app.get("/download/:number", ({ body, req }) =>
    issued[Number(req.param("number"))]!.includes(req.query("token") ?? "")
      ? body("the goods")
      : body("", 403)
  )
  return { fetch: async (request: Request) => app.fetch(request) }
}
