import { it } from "vitest"
import { type BrokenSetUp, expectNamed, independent, useDoctor } from "./brokenSetUps.ts"

/*
 * Each alone of the faults that doctor.test.ts has in one set-up, and more of the kinds that it has.
 */

useDoctor()

const more: ReadonlyArray<BrokenSetUp> = [
  [
    "without a secret",
    { environment: { TILL_SECRET: undefined } },
    ["fail options"],
    /TILL_SECRET must be given/,
    /till402 secret/
  ],
  [
    "with a node that isn't there",
    { environment: { TILL_RPC_URL_BASE_SEPOLIA: "http://127.0.0.1:1" } },
    ["fail node"],
    /base-sepolia/,
    /./
  ],
  [
    "with a dead facilitator",
    { environment: { TILL_FACILITATOR_URL: "http://127.0.0.1:1" } },
    ["warn facilitator"],
    /isn't known whether a facilitator settles/,
    /Check the facilitator's url/
  ],
  [
    "with a well-known address for real money",
    {
      environment: {
        TILL_NETWORKS: "base",
        TILL_PAY_TO: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        TILL_RPC_URL_BASE_SEPOLIA: undefined
      }
    },
    ["fail start", "warn network", "fail payee"],
    /money sent there is lost|asks for payments to|doesn't offer it/,
    /./
  ],
  [
    "with a proxy that refuses long headers",
    {
      proxy: {
        instead: ({ headers }) =>
          (headers.get("payment-signature") ?? "").length > 4_000
            ? new Response("<h1>Request Header Or Cookie Too Large</h1>", { status: 400 })
            : undefined
      }
    },
    ["fail PAYMENT-SIGNATURE"],
    /got 400: something on the way refuses long headers/,
    /large_client_header_buffers/
  ],
  [
    "with a redirect",
    {
      proxy: {
        instead: ({ url }) =>
          new Response("", { status: 301, headers: { location: url.replace("http:", "https:") } })
      }
    },
    ["fail 402"],
    /redirects to https:/,
    /Set baseUrl to the address that responds itself/
  ],
  [
    "with something before the till that responds to everybody",
    { proxy: { instead: () => new Response("<app>") } },
    ["fail 402"],
    /returned 200 instead of 402: what is sold there is given away/,
    /responds before the till, or before the price/
  ],
  [
    "with a priced handler at another path than the documents have",
    {
      proxy: {
        instead: ({ url }) =>
          new URL(url).pathname === "/x402/track" ? new Response("Not Found", { status: 404 }) : undefined
      }
    },
    ["fail 402"],
    /x402\/track returned 404 instead of 402/,
    /give a price the path of its handler below that, and its method/
  ],
  [
    "with a login before it",
    { proxy: { instead: () => new Response("", { status: 401 }) } },
    ["fail 402"],
    /returned 401 instead of 402/,
    /login that is before it/
  ]
]

it.each([...independent, ...more])("%s is named with its cure, and nothing else is", expectNamed)
