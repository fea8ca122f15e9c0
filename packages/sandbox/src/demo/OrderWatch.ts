import type { Order, OrderChange, OrderStatus } from "@till402/core"

/** The steps of orders as they were taken. */
export interface OrderWatch {
  /** To be told of every change. */
  readonly onOrderChange: (change: OrderChange) => void
  /** An order's steps so far, oldest first. */
  readonly stepsOf: (orderId: string) => ReadonlyArray<Order>
  /** Resolves once an order has come to a status; rejects where that takes more than 10 seconds. */
  readonly reached: (orderId: string, status: OrderStatus) => Promise<Order>
}

const patienceMillis = 10_000

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
          const words = stepsOf(orderId).map((order) => order.status)
          reject(
            new Error(
              `The order did not become ${status} within ${patienceMillis / 1_000} s: ${words.join(", ")}`
            )
          )
        }, patienceMillis)
        waiting.add(look)
      })
  }
}
