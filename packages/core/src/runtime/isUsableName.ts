const maxLength = 500

/**
 * Whether a text can name a transaction or an upstream's order: not blank, up to 500 characters, no control characters.
 */
export const isUsableName = (text: string): boolean =>
  // eslint-disable-next-line no-control-regex -- PostgreSQL can't store a NUL, and no name has any of these
  text.trim() !== "" && text.length <= maxLength && !/[\u0000-\u001f\u007f]/.test(text)
