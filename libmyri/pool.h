// SPDX-License-Identifier: BSD-3-Clause
// Free lists for the objects that live as long as a message: taking one costs no allocation once the pool is
// warm.
//
// Concepts: objects come from slabs of `batch`; slabs are given back only when the pool is cleared. Every
// slab object is constructed by take() and destroyed by give().
#pragma once

#include <stdlib.h>
#include <new>

namespace myri {

template <class T, unsigned batch = 32> class Pool {
public:
    // nullptr when memory is short.
    T* take() {
        if (!free_)
            grow();
        Cell* cell = free_;
        if (!cell)
            return nullptr;
        free_ = cell->next;
        cell->used = true;
        return new (static_cast<void*>(cell->room)) T();
    }

    void give(T* t) {
        t->~T();
        Cell* cell = reinterpret_cast<Cell*>(t);
        cell->used = false;
        cell->next = free_;
        free_ = cell;
    }

    // Frees all slabs; objects that are in use are destroyed with them.
    void clear() {
        while (slabs) {
            Slab* next = slabs->next;
            for (Cell& cell : slabs->cells)
                if (cell.used)
                    reinterpret_cast<T*>(cell.room)->~T();
            ::free(slabs);
            slabs = next;
        }
        free_ = nullptr;
    }

private:
    struct Cell {
        union {
            Cell* next;
            alignas(T) unsigned char room[sizeof(T)];
        };
        bool used;
    };
    struct Slab {
        Slab* next;
        Cell cells[batch];
    };

    void grow() {
        Slab* slab = static_cast<Slab*>(aligned_alloc(alignof(Slab), sizeof(Slab)));
        if (!slab)
            return;
        slab->next = slabs;
        slabs = slab;
        for (unsigned i = batch; i-- > 0;) {
            slab->cells[i].used = false;
            slab->cells[i].next = free_;
            free_ = &slab->cells[i];
        }
    }

    Cell* free_ = nullptr;
    Slab* slabs = nullptr;
};

} // namespace myri
