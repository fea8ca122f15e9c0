import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Facilitator } from "../../../src/toll/facilitator/Facilitator.ts"
import type { FacilitatorOptions } from "../../../src/toll/facilitator/FacilitatorOptions.ts"
import { requestV2, transaction } from "./members.ts"

/*
 * The headers that docs/networks.md gives for Coinbase's facilitator, against a fake of its token check: a JSON Web Token
 * for one method and path, signed with the API key, and valid for two minutes.
 */

const host = "api.cdp.coinbase.com"
const route = "/platform/v2/x402"
const keyId = "organizations/1/apiKeys/2"

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const parsed = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString("utf8"))

/** A token as `generateJwt` of `@coinbase/cdp-sdk` makes it from an Ed25519 key. */
const tokenOf = (key: KeyObject, method: string, path: string, nowSeconds: number): string => {
  const header = { alg: "EdDSA", kid: keyId, typ: "JWT", nonce: randomUUID() }
  const claims = {
    sub: keyId,
    iss: "cdp",
    uris: [`${method} ${host}${path}`],
    iat: nowSeconds,
    nbf: nowSeconds,
    exp: nowSeconds + 120
  }
  const signed = `${base64url(header)}.${base64url(claims)}`
  return `${signed}.${sign(undefined, Buffer.from(signed), key).toString("base64url")}`
}

/** The shape of `createCdpAuthHeaders` of `@coinbase/x402`: headers for all operations, made anew by each call. */
const createCdpAuthHeaders = (key: KeyObject, nowSeconds: () => number) => async () => {
  const bearer = (method: string, operation: string) => ({
    Authorization: `Bearer ${tokenOf(key, method, `${route}/${operation}`, nowSeconds())}`
  })
  return {
    verify: bearer("POST", "verify"),
    settle: bearer("POST", "settle"),
    supported: bearer("GET", "supported")
  }
}

const documents: Readonly<Record<string, unknown>> = {
  [`${route}/verify`]: { isValid: true, payer: "0xp" },
  [`${route}/settle`]: { success: true, transaction, network: "eip155:84532", payer: "0xp" },
  [`${route}/supported`]: { kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }] }
}

/** Coinbase's facilitator, as far as its token check: 401 for any token that isn't for this very request. */
const cdp = (publicKey: KeyObject, nowSeconds: () => number) => {
  const requests: Array<string> = []
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const [header = "", claims = "", signature = ""] = (request.headers["authorization"] ?? "")
        .replace(/^Bearer /, "")
        .split(".")
      const isAllowed =
        signature !== "" &&
        parsed(header)["kid"] === keyId &&
        verify(
          undefined,
          Buffer.from(`${header}.${claims}`),
          publicKey,
          Buffer.from(signature, "base64url")
        ) &&
        JSON.stringify(parsed(claims)["uris"]) ===
          JSON.stringify([`${request.method} ${url.host}${url.pathname}`]) &&
        Number(parsed(claims)["nbf"]) <= nowSeconds() &&
        Number(parsed(claims)["exp"]) > nowSeconds()
      requests.push(`${request.method} ${url.pathname} ${isAllowed}`)
      return HttpClientResponse.fromWeb(
        request,
        isAllowed ? Response.json(documents[url.pathname]) : new Response("Unauthorized", { status: 401 })
      )
    })
  )
  return { requests, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const { privateKey } = generateKeyPairSync("ed25519")
const publicKey = createPublicKey(privateKey)

const open = (headers: FacilitatorOptions["headers"] & {}, layer: Layer.Layer<HttpClient.HttpClient>) =>
  Facilitator.layerHttp({ url: `https://${host}${route}`, headers }).pipe(Layer.provide(layer))

describe("Coinbase's facilitator", () => {
  it.effect("takes the token of each call, also hours later", () => {
    let seconds = 1_800_000_000
    const fake = cdp(publicKey, () => seconds)
    const cdpHeaders = createCdpAuthHeaders(privateKey, () => seconds)
    const layer = open(async (operation) => (await cdpHeaders())[operation], fake.layer)
    return Effect.gen(function* () {
      const facilitator = yield* Facilitator
      assert.lengthOf(yield* facilitator.supported, 1)
      for (let call = 0; call < 2; call++) {
        assert.strictEqual((yield* facilitator.verify(requestV2))._tag, "Valid")
        assert.strictEqual((yield* facilitator.settle(requestV2))._tag, "Settled")
        seconds += 7_200
      }
      assert.deepStrictEqual(fake.requests, [
        `GET ${route}/supported true`,
        `POST ${route}/verify true`,
        `POST ${route}/settle true`,
        `POST ${route}/verify true`,
        `POST ${route}/settle true`
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("refuses another key, and a token made once for all: 401, and no outcome", () => {
    const fake = cdp(publicKey, () => 1_800_000_000)
    const otherKey = createCdpAuthHeaders(generateKeyPairSync("ed25519").privateKey, () => 1_800_000_000)
    const madeOnce = createCdpAuthHeaders(privateKey, () => 1_799_999_000)()
    return Effect.gen(function* () {
      for (const headers of [
        async (operation: "verify" | "settle" | "supported") => (await otherKey())[operation],
        async (operation: "verify" | "settle" | "supported") => (await madeOnce)[operation]
      ]) {
        const verification = yield* Effect.gen(function* () {
          const facilitator = yield* Facilitator
          assert.isUndefined(yield* facilitator.settles!("eip155:84532"))
          assert.deepInclude(yield* facilitator.settle(requestV2), { _tag: "Unknown", reason: "http_401" })
          const verifying = yield* Effect.forkChild(facilitator.verify(requestV2))
          yield* TestClock.adjust("1 second")
          return yield* Effect.fromNullishOr(verifying.pollUnsafe())
        }).pipe(Effect.provide(open(headers, fake.layer)))
        assert.deepInclude(verification, { _tag: "Success" })
      }
      assert.isTrue(fake.requests.every((request) => request.endsWith("false")))
    })
  })
})
