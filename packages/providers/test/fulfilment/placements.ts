import { HttpResponse } from "msw"
import { assert, describe, it, vi } from "vitest"

/*
 * Placements whose requests and responses are lost, refused and garbled, and a till that tries until it knows.
 */

export type Reply = (act: () => Response) => Response

export interface World {
  readonly place: () => Promise<{ readonly reference: string }>
  readonly find: () => Promise<string | null>
  /** How often goods went out, or money that buys them. */
  readonly goods: () => number
  /** Responds with `reply` to the request after this many others. */
  readonly disturb: (after: number, reply: Reply) => void
}

const responses: Readonly<Record<string, () => Response>> = {
  "a broken connection": () => HttpResponse.error(),
  "status 408": () => new HttpResponse(null, { status: 408 }),
  "status 500": () => HttpResponse.json({ code: "internal_error" }, { status: 500 }),
  "status 502": () => new HttpResponse("<html>", { status: 502 }),
  "status 503": () => HttpResponse.json({}, { status: 503 }),
  "another document": () => HttpResponse.json({ ok: true }),
  "no document": () => new HttpResponse(null, { status: 204 }),
  "a redirect": () => HttpResponse.redirect("https://elsewhere.example/", 302)
}
/** Responses of a service that has done nothing. */
const refusals: Readonly<Record<string, () => Response>> = Object.fromEntries(
  [400, 401, 402, 403, 404, 409, 422, 429].map((status) => [
    `status ${status}`,
    () => HttpResponse.json({ code: "bad_request" }, { status })
  ])
)

const replies: ReadonlyArray<readonly [string, Reply]> = [
  ...Object.entries({ ...responses, ...refusals }).map(
    ([what, response]) => [what, () => response()] as const
  ),
  ...Object.entries(responses).map(
    ([what, response]) =>
      [
        `${what}, after it was taken`,
        (act: () => Response) => {
          act()
          return response()
        }
      ] as const
  )
]

/** A reply of each kind: `PlacementOutcome.deep.test.ts` has all of them. */
export const isQuickReply = (what: string): boolean =>
  /^(?:a broken connection|status (?:500|503)|another document)(?:, after it was taken)?$|^status (?:400|409)$/.test(
    what
  )

/** Errors by which a till refunds an order. */
const refusing: ReadonlyArray<string> = [
  "PlacementRefused",
  "ProductNotFound",
  "ProductUnavailable",
  "AddressNotServed"
]

/** Places as a till does: what is not certain is looked up, a minute later, until it is known. */
const untilPlaced = async (world: World): Promise<"placed" | "refused"> => {
  for (let attempt = 0; attempt < 20; attempt++) {
    let failure: { readonly _tag: string }
    try {
      await world.place()
      return "placed"
    } catch (error) {
      failure = error as { readonly _tag: string }
    }
    const isRefused = refusing.includes(failure._tag)
    if (isRefused || failure._tag === "NotPlaced") {
      assert.strictEqual(world.goods(), 0, `placed, and reported as ${failure._tag}`)
      if (isRefused) return "refused"
      vi.setSystemTime(Date.now() + 15_000)
      continue
    }
    for (let look = 0; look < 5; look++) {
      vi.setSystemTime(Date.now() + 61_000)
      const found = await world.find().catch(() => "unknown")
      if (found === "unknown") continue
      if (found !== null) return "placed"
      assert.strictEqual(world.goods(), 0, "placed, and not found")
      break
    }
  }
  throw new Error("the order was neither placed nor refused")
}

/**
 * For each world: an order is placed once, whatever becomes of one of these requests, counted from 1. Before every change,
 * each world has its first request disturbed and one of its kind the second, by a reply of each kind;
 * `PlacementOutcome.deep.test.ts` has the others.
 */
export const itPlacesOnce = (
  worlds: Readonly<Record<string, () => Promise<World>>>,
  requests: ReadonlyArray<number>,
  isTested: (reply: string) => boolean = () => true
): void => {
  describe.each(Object.entries(worlds))("%s", (_name, start) => {
    for (const request of requests) {
      it.each(replies.filter(([what]) => isTested(what)))(
        `places once over %s of request ${request}`,
        async (_what, reply) => {
          const world = await start()
          world.disturb(request - 1, reply)
          assert.strictEqual(await untilPlaced(world), "placed")
          assert.strictEqual(world.goods(), 1)
        }
      )
    }

    it("places once without faults", async () => {
      const world = await start()
      assert.strictEqual(await untilPlaced(world), "placed")
      await world.place()
      assert.strictEqual(world.goods(), 1)
    })
  })
}
