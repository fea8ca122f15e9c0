/*
 * Limits of bodies, in a file of their own: adapters need them without Effect.
 */

/** Largest request body that is read, in bytes. */
export const maxBodyBytes = 64 * 1024

/** Largest response of a host that is sold, in bytes of a handler's body or characters of JSON. */
export const maxResponseLength = 1024 * 1024
