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
 */

startBatchChain()

const track = { call: calls.track, count: 6, spend: spends.toSelf }
const vault = { call: calls.vaultBuy, count: 4, spend: spends.toSelf }

attack(
  "one transfer shown as proof of many payments that were refused",
  pair({
    title: "16 refunds for one price",
    run: (open, title) => moveRefused(open, { ...track, count: 16 }, title)
  })
)

attack(
  "one transfer shown as proof of many payments that are presented afterwards",
  pair(
    {
      title: "6 refunds for one price",
      mayLose: 520_000n,
      run: (open, title) => presentAfterwards(open, track, title)
    },
    {
      title: "6 refunds, by transfers of 0 to payTo",
      mayLose: 520_000n,
      run: (open, title) => presentAfterwards(open, { ...track, spend: spends.toPayTo }, title)
    },
    {
      title: "4 refunds of vault purchases",
      mayLose: 5_000_000n,
      run: (open, title) => presentAfterwards(open, vault, title)
    }
  )
)

attack(
  "one transfer shown as proof of many payments that are being settled",
  pair(
    {
      title: "6 tracked parcels for one price",
      run: (open, title) => frontRun(open, track, verdicts.invalidState, title)
    },
    {
      title: "6 tracked parcels, by transfers of a millionth",
      run: (open, title) => frontRun(open, { ...track, spend: spends.split }, verdicts.invalidState, title)
    },
    {
      title: "6 tracked parcels, by a contract that receives nothing, before a silent facilitator",
      run: (open, title) => frontRun(open, { ...track, spend: spends.received }, verdicts.silence, title)
    }
  )
)

attack(
  "one transfer shown as proof of many purchases",
  pair({
    title: "4 vault purchases for one price",
    run: (open, title) => frontRun(open, vault, verdicts.invalidState, title)
  })
)
