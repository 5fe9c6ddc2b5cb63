/** The parameters of a `Content-Disposition: form-data` header that identify a part of a form. */
export interface FormDisposition {
  readonly name: string
  /** The file name, or null if the part is a field. */
  readonly filename: string | null
}

/** Matches a parameter: a name, `=`, and a token or a quoted string. */
const PARAMETER = /;[ \t]*([!#-'*+.\w^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|([^\s";]+))[ \t]*(?=;|$)/gy

/**
 * Parses the `Content-Disposition` header of a part, or returns null if it is not valid form data. Supports tokens,
 * quoted strings, extended values from RFC 5987 (`filename*=UTF-8''%E2%82%AC`) and continuations from RFC 2231
 * (`filename*0=`).
 */
export function parseFormDisposition(header: string): FormDisposition | null {
  const [type] = /^[ \t]*form-data[ \t]*(?=;)/i.exec(header) ?? []
  if (type === undefined) return null
  const parameters = new Map<string, string>()
  let end = (PARAMETER.lastIndex = type.length)
  for (let match = PARAMETER.exec(header); match !== null; match = PARAMETER.exec(header)) {
    const [, key = '', quoted, token = ''] = match
    end = PARAMETER.lastIndex
    // If a parameter appears twice, the first one takes precedence.
    const lower = key.toLowerCase()
    if (!parameters.has(lower)) parameters.set(lower, quoted === undefined ? token : unquote(quoted))
  }
  if (!/^[;\s]*$/.test(header.slice(end))) return null
  const name = readParameter(parameters, 'name')
  return name === null ? null : { name, filename: readParameter(parameters, 'filename') }
}

/**
 * Unescapes a quoted string. Browsers escape a quote as `%22`, other clients as `\"`. Other backslashes are literal.
 */
function unquote(text: string): string {
  return text.replaceAll(/\\(["\\])/g, '$1').replaceAll(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code))
}

/** Reads a parameter. The extended value takes precedence, then the plain one, then the continuations. */
function readParameter(parameters: ReadonlyMap<string, string>, name: string): string | null {
  const extended = parameters.get(`${name}*`)
  const decoded = extended === undefined ? null : decodeExtended(extended)
  return decoded ?? parameters.get(name) ?? joinContinuations(parameters, name)
}

function joinContinuations(parameters: ReadonlyMap<string, string>, name: string): string | null {
  let charset = 'utf-8'
  let bytes = ''
  let count = 0
  for (; ; count += 1) {
    const encoded = parameters.get(`${name}*${count}*`)
    const plain = parameters.get(`${name}*${count}`)
    if (encoded === undefined && plain === undefined) break
    const [, label, value = encoded] = (count === 0 && EXTENDED.exec(encoded ?? '')) || []
    charset = label ?? charset
    bytes += encoded === undefined ? encodeURIComponent(plain ?? '') : (value ?? '')
  }
  return count === 0 ? null : decodePercent(bytes, charset)
}

/** Matches `charset'language'value`. */
const EXTENDED = /^([\w-]+)'[^']*'(.*)$/s

function decodeExtended(text: string): string | null {
  const [, charset, value] = EXTENDED.exec(text) ?? []
  return charset === undefined || value === undefined ? null : decodePercent(value, charset)
}

/** Decodes percent-encoded text, or returns null if the bytes are invalid or the charset is unknown. */
function decodePercent(text: string, charset: string): string | null {
  const bytes = text.replaceAll(/%([\da-f]{2})/gi, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
  } catch {
    return null // unknown charset or invalid bytes
  }
}
