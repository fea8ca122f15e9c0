import { expect, it } from "vitest"
import { started, weather } from "./pricedHandlers.ts"

/*
 * A priced handler that responds after its deadline, while the response of the till is still held by other middleware.
 */

it("a late handler can't touch the response that its caller gets", async () => {
  const gate = Promise.withResolvers<void>()
  const late = Promise.withResolvers<void>()
  let isHeld = true
  const { facilitator, origin, pay, payment } = await started(
    { upstreamTimeoutMillis: 500 },
    (app, price) => {
      app.use(async (context, next) => {
        await next()
        if (context.res.status !== 503) return
        gate.resolve()
        await late.promise
      })
      app.get("/weather/:city", price(weather), async (context) => {
        if (isHeld) {
          await gate.promise
          // After everything that the end of the handler sets off.
          setTimeout(late.resolve, 0)
        }
        return context.text("sun")
      })
    }
  )
  const failed = await pay(`${origin}/weather/oslo`)
  expect([failed.status, await failed.json()]).toMatchObject([503, { code: "OPERATION_TIMEOUT" }])
  expect(facilitator.settle.calls).toHaveLength(0)
  isHeld = false
  expect(await (await fetch(`${origin}/weather/oslo`, { headers: payment() })).text()).toBe("sun")
  expect(facilitator.settled).toHaveLength(1)
})
