/** Selects a user as others see them. Guests follow nobody. */
export function selectProfile(userId = 0) {
  return { username: true, bio: true, image: true, followers: { where: { followerId: userId } } }
}

/** Returns a user as others see them. */
export function toProfile({ username, bio, image, followers }) {
  return { username, bio, image, following: followers.length > 0 }
}
