import type { Json, JsonArray, JsonObject } from './json-tree.ts'

/** Replaces a member's value, or inserts the member before the first one that follows it in `order`. */
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

/** Removes a member by name. If there are duplicates, only the last one is removed, since it is the effective one. */
export function removeMember(object: JsonObject, name: string): JsonObject {
  const index = object.members.findLastIndex((member) => member.name === name)
  return removeMemberAt(object, index)
}

/** Removes the member at an index. */
export function removeMemberAt(object: JsonObject, index: number): JsonObject {
  return index < 0 ? object : { kind: 'object', members: object.members.toSpliced(index, 1) }
}

/** Sets the value of the member at an index. */
export function setMemberAt(object: JsonObject, index: number, value: Json): JsonObject {
  const member = object.members[index]
  return member === undefined ? object : { kind: 'object', members: object.members.with(index, { ...member, value }) }
}

/** Renames the member at an index, in place. */
export function renameMemberAt(object: JsonObject, index: number, name: string): JsonObject {
  const member = object.members[index]
  return member === undefined ? object : { kind: 'object', members: object.members.with(index, { ...member, name }) }
}

/** Returns an unused name, such as `key`, `key2` or `key3`. */
export function freeName({ members }: JsonObject, wanted = 'key'): string {
  const taken = new Set(members.map(({ name }) => name))
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
  return name
}

/** Moves an array item to another index. Returns the array unchanged if an index is out of range. */
export function moveItem(array: JsonArray, from: number, to: number): JsonArray {
  const { items } = array
  const item = items[from]
  if (item === undefined || to < 0 || to >= items.length) return array
  return { kind: 'array', items: items.toSpliced(from, 1).toSpliced(to, 0, item) }
}
