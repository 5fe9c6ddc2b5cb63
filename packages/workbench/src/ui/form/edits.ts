import type { Json, JsonArray, JsonObject } from './json-tree.ts'

/** Gives a name a value: in its place where it is there, else before the first that comes later in `order`. */
export function setMember(
  object: JsonObject,
  name: string,
  edit: { value: Json; order?: readonly string[] },
): JsonObject {
  const { value, order = [] } = edit
  const { members } = object
  const index = members.findLastIndex((member) => member.name === name)
  if (index >= 0) return { kind: 'object', members: members.with(index, { name, value }) }
  const later = new Set(order.slice(order.indexOf(name) + 1))
  const before = order.includes(name) ? members.findIndex((member) => later.has(member.name)) : -1
  return { kind: 'object', members: members.toSpliced(before < 0 ? members.length : before, 0, { name, value }) }
}

/** Takes a name away; of a doubled one the last, which is the one that counts. */
export function removeMember(object: JsonObject, name: string): JsonObject {
  const index = object.members.findLastIndex((member) => member.name === name)
  return removeMemberAt(object, index)
}

/** Takes away the member at this place. */
export function removeMemberAt(object: JsonObject, index: number): JsonObject {
  return index < 0 ? object : { kind: 'object', members: object.members.toSpliced(index, 1) }
}

/** Gives the member at this place another value. */
export function setMemberAt(object: JsonObject, index: number, value: Json): JsonObject {
  const member = object.members[index]
  return member === undefined ? object : { kind: 'object', members: object.members.with(index, { ...member, value }) }
}

/** Gives the member at this place another name; it stays where it is. */
export function renameMemberAt(object: JsonObject, index: number, name: string): JsonObject {
  const member = object.members[index]
  return member === undefined ? object : { kind: 'object', members: object.members.with(index, { ...member, name }) }
}

/** A name that is not taken: `key`, `key2`, `key3` … */
export function freeName({ members }: JsonObject, wanted = 'key'): string {
  const taken = new Set(members.map(({ name }) => name))
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
  return name
}

/** Moves a value of a list to another place; past an end it stays. */
export function moveItem(array: JsonArray, from: number, to: number): JsonArray {
  const { items } = array
  const item = items[from]
  if (item === undefined || to < 0 || to >= items.length) return array
  return { kind: 'array', items: items.toSpliced(from, 1).toSpliced(to, 0, item) }
}
