import type { OrderWorld } from "./OrderWorld.ts"

const finds = { canFind: true, placesOnce: false, canReadStatus: true }
const idempotent = { canFind: false, placesOnce: true, canReadStatus: true }
const mute = { canFind: false, placesOnce: false, canReadStatus: false }

/** The configurations of orders, each explored completely. */
export const orderWorlds: ReadonlyArray<OrderWorld> = [
  {
    name: "one worker, upstream finds orders",
    capabilities: finds,
    maxAttempts: 1,
    workers: 1,
    crashes: true
  },
  {
    name: "one worker, upstream places once",
    capabilities: idempotent,
    maxAttempts: 6,
    workers: 1,
    crashes: true
  },
  {
    name: "one worker, upstream can do neither, operator",
    capabilities: mute,
    maxAttempts: 1,
    workers: 1,
    crashes: true,
    operator: true
  },
  {
    name: "one worker, reorganization",
    capabilities: finds,
    maxAttempts: 1,
    workers: 1,
    reorganizes: true,
    operator: true
  }
]

/** Two workers at once. */
export const deepOrderWorlds: ReadonlyArray<OrderWorld> = [
  {
    name: "two workers, upstream finds orders",
    capabilities: finds,
    maxAttempts: 1,
    workers: 2,
    crashes: true,
    operator: true
  },
  { name: "two workers, upstream places once", capabilities: idempotent, maxAttempts: 6, workers: 2 },
  {
    name: "two workers, upstream can do neither",
    capabilities: mute,
    maxAttempts: 1,
    workers: 2,
    crashes: true,
    operator: true
  },
  {
    name: "two workers, reorganization",
    capabilities: finds,
    maxAttempts: 1,
    workers: 2,
    reorganizes: true,
    crashes: true
  }
]
