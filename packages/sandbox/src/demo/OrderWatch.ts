import type { Order, OrderChange, OrderStatus } from "@till402/core"

/** Records the status changes of orders. */
export interface OrderWatch {
  /** Receives every order change. */
  readonly onOrderChange: (change: OrderChange) => void
  /** The status changes of an order, oldest first. */
  readonly stepsOf: (orderId: string) => ReadonlyArray<Order>
  /** Resolves once an order has a status; rejects after a minute. */
  readonly reached: (orderId: string, status: OrderStatus) => Promise<Order>
}

const patienceMillis = 60_000

export const orderWatch = (): OrderWatch => {
  const steps: Array<Order> = []
  const waiting = new Set<(order: Order) => void>()
  const stepsOf = (orderId: string) => steps.filter(({ id }) => id === orderId)
  return {
    onOrderChange: ({ order }) => {
      steps.push(order)
      for (const look of waiting) look(order)
    },
    stepsOf,
    reached: (orderId, status) =>
      new Promise((resolve, reject) => {
        const found = stepsOf(orderId).find((order) => order.status === status)
        if (found !== undefined) return resolve(found)
        const end = () => {
          clearTimeout(deadline)
          waiting.delete(look)
        }
        const look = (order: Order): void => {
          if (order.id !== orderId || order.status !== status) return
          end()
          resolve(order)
        }
        const deadline = setTimeout(() => {
          end()
          const statuses = stepsOf(orderId).map((order) => order.status)
          reject(
            new Error(
              `The order did not become ${status} within ${patienceMillis / 1_000} s: ${statuses.join(", ")}`
            )
          )
        }, patienceMillis)
        waiting.add(look)
      })
  }
}
