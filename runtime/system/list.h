/* The list that things on a stack or in a user's object are on while they have to be found: anywhere
 * out of it in one step. Its lock is its owner's. */
#ifndef TRI_LIST_H
#define TRI_LIST_H

#include <stddef.h>

/* First member of what is listed. */
typedef struct tri_listed {
    struct tri_listed *next, **link;
} tri_listed;

static inline void tri_list_add(tri_listed **list, tri_listed *node) {
    node->next = *list;
    node->link = list;
    if (node->next != NULL) node->next->link = &node->next;
    *list = node;
}

static inline void tri_list_remove(tri_listed *node) {
    *node->link = node->next;
    if (node->next != NULL) node->next->link = node->link;
}

#endif
