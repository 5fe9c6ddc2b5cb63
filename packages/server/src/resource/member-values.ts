import { isSchema } from '../schema/assert-schemas.ts'
import { validate, type Schema } from '@sdk/protocol'
import { validationError } from '../http/http-error.ts'
import type { Field, Fields } from '../define/store.ts'

/**
 * Checks some fields alone, where the schema refuses the whole because of others; null where that is not possible.
 * Where a library does not give the schemas of members, fields are taken as they were sent.
 */
export async function toMemberValues(
  schema: Schema,
  fields: readonly Field[],
  candidate: Fields,
): Promise<Fields | null> {
  const made: Record<string, unknown> = {}
  for (const field of fields) {
    const { name } = field
    if (!Object.hasOwn(candidate, name)) {
      if (field.default === undefined && !field.isNullable) return null
      made[name] = field.default ?? null
      continue
    }
    const member = findMemberSchema(schema, name)
    const result = member === null ? null : await validate(member, candidate[name], 'body')
    if (result?.ok === false)
      throw validationError(result.details.map((detail) => ({ ...detail, pointer: `/${name}${detail.pointer ?? ''}` })))
    made[name] = result === null ? candidate[name] : result.value
  }
  return made
}

/** How zod and arktype give the schemas of an object's members. */
interface MemberSchemas {
  readonly shape?: Readonly<Record<string, unknown>>
  get?(name: string): unknown
}

function findMemberSchema(schema: Schema, name: string): Schema | null {
  const members = schema as MemberSchemas
  const found = schema['~standard'].vendor === 'arktype' ? members.get?.(name) : members.shape?.[name]
  return isSchema(found) ? found : null
}
