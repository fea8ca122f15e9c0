import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { exportedText } from "../../operators/exportedText.ts"
import type { HostOrders } from "./HostOrders.ts"
import type { ChangeFeed } from "./OrderChanges.ts"
import { OrderOperator } from "./OrderOperator.ts"

/** Runs with the till's services. */
type Run = <A>(effect: Effect.Effect<A, StoreError, OrderOperator>) => Promise<A>

/** `OrderOperator` in plain promises. */
export const toHostOrders = (run: Run, feed: ChangeFeed): HostOrders => {
  const call = <A>(use: (operator: OrderOperator["Service"]) => Effect.Effect<A, StoreError>) =>
    run(OrderOperator.use(use))

  return {
    find: (id) => call((operator) => operator.find(id)),
    list: (query) => call((operator) => operator.list(query)),
    changes: () => feed.subscribe(),
    processNow: (id) => call((operator) => operator.processNow(id)),
    processNowByReference: (reference) => call((operator) => operator.processNowByReference(reference)),
    retry: (id) => call((operator) => operator.retry(id)),
    resolve: (id, reference) => call((operator) => operator.resolve(id, reference)),
    markDelivered: (id) => call((operator) => operator.markDelivered(id)),
    cancel: (id, reason) => call((operator) => operator.cancel(id, reason)),
    markRefunded: (id, transaction) => call((operator) => operator.markRefunded(id, transaction)),
    export: (query) =>
      exportedText(
        run,
        OrderOperator.use((operator) => Effect.succeed(operator.export(query)))
      )
  }
}
