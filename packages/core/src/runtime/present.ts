/** The members of a service without those that are `undefined`. */
export const present = <Service extends object>(members: {
  readonly [Name in keyof Service]?: Service[Name] | undefined
}): Partial<Service> =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as Partial<Service>
