/**
 * The same record, with nullable fields optional at every depth. Types the results of a host's provider: a missing or
 * `undefined` field is read as `null`.
 */
export type Sparse<A> =
  A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Sparse<Item>>
    : A extends object
      ? {
          readonly [Field in keyof A as null extends A[Field] ? never : Field]: Sparse<A[Field]>
        } & {
          readonly [Field in keyof A as null extends A[Field] ? Field : never]?: Sparse<A[Field]> | undefined
        }
      : A
