import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import {
  frontRun,
  moveRefused,
  pair,
  presentAfterwards,
  spends,
  startBatchChain,
  verdicts
} from "./batchRuns.ts"

/*
 * One transfer shown as proof of many payments: a transaction that pays once uses up the nonces of all of them.
 * batches.deep.test.ts uses them up in other ways, too.
 */

startBatchChain()

const track = { call: calls.track, count: 4, spend: spends.toSelf }
const vault = { call: calls.vaultBuy, count: 3, spend: spends.toSelf }

attack(
  "one transfer shown as proof of many payments that were refused",
  pair({ title: "4 refunds for one price", run: (open, title) => moveRefused(open, track, title) })
)

attack(
  "one transfer shown as proof of many payments that are presented afterwards",
  pair({
    title: "4 refunds for one price",
    mayLose: 520_000n,
    run: (open, title) => presentAfterwards(open, track, title)
  })
)

attack(
  "one transfer shown as proof of many payments that are being settled",
  pair({
    title: "4 tracked parcels for one price",
    run: (open, title) => frontRun(open, track, verdicts.invalidState, title)
  })
)

attack(
  "one transfer shown as proof of many purchases",
  pair({
    title: "3 vault purchases for one price",
    run: (open, title) => frontRun(open, vault, verdicts.invalidState, title)
  })
)
