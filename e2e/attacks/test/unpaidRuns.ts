import { type Dodging, dodgeFor, lossOf, openDodgers } from "../src/Dodgers.ts"
import type { LocalChain } from "../src/LocalChain.ts"
import { type OpenTarget, report } from "../src/LossTargets.ts"

/** Many calls at once by each key, whose money covers one of them; returns the upstream work that nobody paid. */
export const emptyAccounts = async (
  local: LocalChain,
  open: OpenTarget,
  dodging: Dodging,
  title: string
): Promise<bigint> => {
  const dodgers = openDodgers(local)
  const { payTo, server } = await open(dodgers.facilitator)
  const loss = await lossOf(local, server, payTo, () => dodgeFor(dodgers, server, dodging))
  return report(title, loss)
}
