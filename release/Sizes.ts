/*
 * What the packages may weigh. A limit is about a tenth above the size of the day on which it was set: raise it in the
 * commit that has the reason.
 */

/** The largest tarball of each package, in bytes. */
export const tarballLimits: Readonly<Record<string, number>> = {
  "@till402/console": 59_000,
  "@till402/core": 1_265_000,
  "@till402/express": 12_000,
  "@till402/fastify": 12_000,
  "@till402/hono": 12_000,
  "@till402/koa": 12_000,
  "@till402/providers": 510_000,
  "@till402/sandbox": 150_000,
  "@till402/telemetry": 30_000,
  "@till402/testing": 110_000,
  "@till402/vault": 35_000,
  "create-till402": 5_600,
  till402: 80_000
}

/** The most that an entry of a package loads of it at once, in bytes of JavaScript, by plain Node. */
export const entryLimits: Readonly<Record<string, number>> = {
  "@till402/console": 133_000,
  "@till402/console/operate": 14_500,
  "@till402/core": 780_000,
  "@till402/core/effect": 1_030_000,
  "@till402/core/node": 20_000,
  "@till402/core/postgres": 221_000,
  "@till402/core/sqlite": 235_000,
  "@till402/express": 9_000,
  "@till402/fastify": 10_700,
  "@till402/hono": 9_100,
  "@till402/koa": 10_700,
  "@till402/providers/17track": 130_000,
  "@till402/providers/ai-sdk": 125_000,
  "@till402/providers/assistant": 120_000,
  "@till402/providers/canopy": 52_000,
  "@till402/providers/carriers": 72_000,
  "@till402/providers/facilitator": 100_000,
  "@till402/providers/journals": 22_000,
  "@till402/providers/mail/log": 37_000,
  "@till402/providers/mail/resend": 40_000,
  "@till402/providers/mail/smtp": 45_000,
  "@till402/providers/openai-compat": 52_000,
  "@till402/providers/rainforest": 52_000,
  "@till402/providers/rye": 95_000,
  "@till402/providers/serpapi": 52_000,
  "@till402/providers/shopify": 72_000,
  "@till402/providers/shopify-admin": 100_000,
  "@till402/providers/solana-facilitator": 80_000,
  "@till402/providers/solana-refunds": 62_000,
  "@till402/providers/upstream": 33_000,
  "@till402/providers/woocommerce": 78_000,
  "@till402/providers/zinc": 72_000,
  "@till402/sandbox": 145_000,
  "@till402/sandbox/chain": 18_000,
  "@till402/sandbox/command": 165_000,
  "@till402/sandbox/shop": 100_000,
  "@till402/sandbox/solana": 68_000,
  "@till402/telemetry": 15_000,
  "@till402/telemetry/traces": 8_500,
  "@till402/testing": 410_000,
  "@till402/testing/payer": 5_000,
  "@till402/testing/solana-payer": 5_000,
  "@till402/vault": 52_000,
  "@till402/vault/s3": 10_000,
  "@till402/vault/testing": 10_000,
  "create-till402": 1_000,
  till402: 65_000
}

const fault = (limits: Readonly<Record<string, number>>, name: string, bytes: number, what: string) => {
  const limit = limits[name]
  if (limit === undefined) return [`${name} has no limit in release/Sizes.ts; ${what} ${bytes} bytes`]
  return bytes <= limit ? [] : [`${name}: ${what} ${bytes} bytes, and may have ${limit}`]
}

/** The fault of a tarball that is larger than its limit. */
export const sizeFaults = (name: string, bytes: number): ReadonlyArray<string> =>
  fault(tarballLimits, name, bytes, "its tarball has")

/** The fault of an entry that loads more than its limit. */
export const entryFaults = (specifier: string, bytes: number): ReadonlyArray<string> =>
  fault(entryLimits, specifier, bytes, "what it loads has")
