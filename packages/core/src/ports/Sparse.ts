/**
 * The same record where nullable fields may be left out, at every depth. What a host's provider may return: a field
 * that is missing or `undefined` is read as `null`.
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
